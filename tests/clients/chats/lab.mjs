/** A page with `lab`. Its address has `uid` and `url`; tokens are fetched from `/session`. */

import { openLab } from "./lab_core.mjs";

const { uid, url } = Object.fromEntries(new URLSearchParams(location.search));
const fetchToken = async () => (await (await fetch(`/session?uid=${uid}`)).json()).token;
const lab = await openLab({ url, uid, fetchToken, Real: WebSocket, isOnline: () => navigator.onLine });
addEventListener("offline", lab.cut);
window.lab = lab;
