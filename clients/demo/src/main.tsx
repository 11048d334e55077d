/** Begins: draws the page. */

import { render } from "preact";

import { openSession } from "./chat/session.js";
import { App } from "./App.js";
import "./styles/index.css";

render(<App open={openSession} />, document.body);
