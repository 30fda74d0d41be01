// A session with `ordain lsp` by VS Code's own library of the protocol. Each step prints a line.
//
// usage: node session.mjs ORDAIN DIRECTORY_OF_NODE_MODULES REPOSITORY

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const [program, packages, root] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const rpc = require("vscode-languageserver-protocol/node");
const { TextDocument } = require("vscode-languageserver-textdocument");

const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = rpc.createProtocolConnection(
  new rpc.StreamMessageReader(server.stdout),
  new rpc.StreamMessageWriter(server.stdin),
);
const ended = new Promise((resolve) => server.on("exit", resolve));
const say = (name, value) => console.log(`${name} ${value}`);
const uri = (path) => pathToFileURL(`${root}/${path}`).href;

/** The diagnostics of each document, and those who wait for others. */
const found = new Map();
let waiting = [];
connection.onNotification(rpc.PublishDiagnosticsNotification.type, (params) => {
  found.set(params.uri, params.diagnostics);
  waiting = waiting.filter((check) => !check());
});
let refreshed;
connection.onRequest(rpc.CodeLensRefreshRequest.type, () => refreshed?.());
connection.onRequest(rpc.RegistrationRequest.type, () => {});

function diagnostics(document, wanted) {
  return new Promise((resolve) => {
    const check = () => {
      const all = found.get(document.uri);
      const is = all !== undefined && wanted(all);
      if (is) resolve(all);
      return is;
    };
    if (!check()) waiting.push(check);
  });
}

/** Open documents, as VS Code has them. */
function open(path, text) {
  const document = TextDocument.create(uri(path), "puppet", 1, text);
  connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: document.uri, languageId: "puppet", version: 1, text },
  });
  return document;
}

/** Applies edits as a user's, and tells the server of them. */
function edit(document, edits) {
  const text = TextDocument.applyEdits(document, edits);
  // From the end on, so that each range is one of the text before.
  const last = (a, b) => document.offsetAt(b.range.start) - document.offsetAt(a.range.start);
  const contentChanges = [...edits].sort(last).map(({ range, newText }) => ({ range, text: newText }));
  const version = document.version + 1;
  connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: document.uri, version },
    contentChanges,
  });
  TextDocument.update(document, [{ text }], version);
}

function save(document) {
  writeFileSync(fileURLToPath(document.uri), document.getText());
  connection.sendNotification(rpc.DidSaveTextDocumentNotification.type, {
    textDocument: { uri: document.uri },
  });
}

const first = (document) => document.getText().split("\n")[0];
const at = (document, line, character) => ({
  textDocument: { uri: document.uri },
  position: { line, character },
});
const range = (startLine, start, endLine, end) => ({
  start: { line: startLine, character: start },
  end: { line: endLine, character: end },
});

async function session() {
  connection.listen();
  const { serverInfo, capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "site" }],
    capabilities: { workspace: { codeLens: { refreshSupport: true } } },
    initializationOptions: { node: "web1" },
  });
  say("server", serverInfo.name);
  say("commands", capabilities.executeCommandProvider.commands.join(" "));
  await connection.sendNotification(rpc.InitializedNotification.type, {});

  const site = open("manifests/site.pp", readFileSync(`${root}/manifests/site.pp`, "utf8"));
  const wrong = await diagnostics(site, (all) => all.some((one) => one.message.includes("prot")));
  say("diagnostics", wrong.map((one) => one.message.split("\n")[0]).join("; "));
  edit(site, [{ range: range(0, 27, 0, 27), newText: "," }]);
  await diagnostics(site, (all) => all.some((one) => one.code.includes("syntax-error")));
  edit(site, [{ range: range(0, 27, 0, 28), newText: "" }]);

  const hover = await connection.sendRequest(rpc.HoverRequest.type, at(site, 0, 10));
  say("hover", hover.contents.value.split("\n")[1]);
  const [definition] = await connection.sendRequest(rpc.DefinitionRequest.type, at(site, 0, 10));
  say("definition", definition.uri.slice(pathToFileURL(root).href.length + 1));
  const items = await connection.sendRequest(rpc.CompletionRequest.type, at(site, 0, 18));
  const port = items.items.find((item) => item.label === "port");
  say("completion", port.detail);

  const [fix] = await connection.sendRequest(rpc.CodeActionRequest.type, {
    textDocument: { uri: site.uri },
    range: range(0, 0, 9, 0),
    context: { diagnostics: wrong, only: [rpc.CodeActionKind.QuickFix] },
  });
  say("fix", fix.title);
  edit(site, fix.edit.changes[site.uri]);
  await diagnostics(site, (all) => all.length === 0);
  say("corrected", first(site));

  const web = open("modules/web/manifests/init.pp", readFileSync(`${root}/modules/web/manifests/init.pp`, "utf8"));
  const renamed = await connection.sendRequest(rpc.RenameRequest.type, {
    ...at(site, 0, 19),
    newName: "number",
  });
  edit(site, renamed.changes[site.uri]);
  edit(web, renamed.changes[web.uri]);
  say("renamed", `${first(site)} | ${first(web)} | ${Object.keys(renamed.changes).length} files`);
  const options = { tabSize: 2, insertSpaces: true };
  edit(
    site,
    await connection.sendRequest(rpc.DocumentFormattingRequest.type, {
      textDocument: { uri: site.uri },
      options,
    }),
  );
  say("formatted", first(site));
  edit(
    web,
    await connection.sendRequest(rpc.DocumentRangeFormattingRequest.type, {
      textDocument: { uri: web.uri },
      range: range(1, 0, 2, 0),
      options,
    }),
  );
  say("range", web.getText().replaceAll("\n", "|"));

  // A plan is made of the files on disk.
  save(site);
  save(web);
  const lenses = () =>
    connection.sendRequest(rpc.CodeLensRequest.type, { textDocument: { uri: web.uri } });
  const again = new Promise((resolve) => (refreshed = resolve));
  await lenses();
  await again;
  const shown = await lenses();
  say("lenses", shown.map((lens) => lens.command.title).join("; "));
  const command = shown.find((lens) => lens.command.command === "ordain.plan").command;
  const plan = await connection.sendRequest(rpc.ExecuteCommandRequest.type, {
    command: command.command,
    arguments: [{ ...command.arguments[0], root: "machine" }],
  });
  say("plan", `${plan.node} ${plan.plan} ${plan.text.trim().split("\n").at(-1)}`);
  const explain = (resource) =>
    connection.sendRequest(rpc.ExecuteCommandRequest.type, {
      command: "ordain.explain",
      arguments: [{ node: plan.node, uri: web.uri, resource }],
    });
  for (const resource of ["Class[web].number", "Class[db]"]) {
    const why = await explain(resource);
    say("explained", `${why.node} ${why.explanation} ${why.text.split("\n")[0]}`);
  }

  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
  say("ended", await ended);
}

const late = setTimeout(() => {
  say("late", JSON.stringify([...found]));
  process.exit(1);
}, 60000);
session()
  .catch((error) => say("error", error.stack))
  .finally(() => {
    clearTimeout(late);
    server.kill();
    process.exit();
  });
