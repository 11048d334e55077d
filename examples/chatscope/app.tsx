/** Opens the chat of the person in the page's address, and shows it. */

import "./app.css";
import { createRoot } from "react-dom/client";
import { Client } from "@hubbub/client";
import { openChat } from "@hubbub/client/store";
import { ChatApp } from "./ChatApp.js";

const uid = new URLSearchParams(location.search).get("uid") ?? "anna";
const session = async () => (await fetch(`/session?uid=${encodeURIComponent(uid)}`)).json(); // your own server
const { url } = await session();
const client = new Client({ url, fetchToken: async () => (await session()).token, presence: "all" });
const chat = await openChat(client, { uid });
createRoot(document.getElementById("app")!).render(<ChatApp chat={chat} uid={uid} url={url} />);
