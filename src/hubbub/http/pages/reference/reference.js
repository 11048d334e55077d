// Starts the viewer. Everything that would call another host is off; the policy of the page
// (Content-Security-Policy) forbids it, too.
"use strict";

// Samples are shown for curl, Python and JavaScript; the first ones of each are tabs in the viewer.
const HIDDEN_CLIENTS = {
  c: true, clojure: true, csharp: true, dart: true, fsharp: true, go: true, http: true, java: true,
  julia: true, kotlin: true, objc: true, ocaml: true, php: true, powershell: true, r: true,
  ruby: true, rust: true, swift: true,
  js: ["axios", "jquery", "ofetch", "xhr"],
  node: ["axios", "ofetch"],
  python: ["aiohttp", "httpx_async"],
  shell: ["httpie", "wget"],
};

Scalar.createApiReference("#reference", {
  url: "/docs/openapi.json",
  favicon: "/docs/icon.svg",
  metaData: { title: "Hubbub API reference" },
  servers: [{ url: `${location.origin}/v3`, description: "This server" }],
  authentication: { preferredSecurityScheme: "apikey" },
  persistAuth: false,
  theme: "default",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: HIDDEN_CLIENTS,
  orderSchemaPropertiesBy: "preserve",
  hideModels: true,
  documentDownloadType: "none",
  hideClientButton: true,
  withDefaultFonts: false,
  showDeveloperTools: "never",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
});
