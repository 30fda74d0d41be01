"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The client of the running server. */
let client;

/** The files that the server knows. YAML and ERB are served wherever they are open. */
const documents = ["puppet", "epp", "erb", "mcl", "inmanta", "yaml"].map((language) => ({
  scheme: "file",
  language,
}));

function start() {
  const settings = vscode.workspace.getConfiguration("ordain");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("ordain", "Ordain", server, {
    documentSelector: documents,
    initializationOptions: {
      strict: settings.get("strict"),
      ignore: settings.get("ignore"),
      modulepath: settings.get("modulepath"),
      node: settings.get("node") || undefined,
      facts: settings.get("facts") || undefined,
      factSet: settings.get("factSet") || undefined,
    },
  });
  return client.start();
}

async function restart() {
  await client?.stop();
  await start();
}

/** Has the user choose the node whose values are shown. Nodes without facts can be typed. */
async function selectNode() {
  const choose = (...args) =>
    client.sendRequest("workspace/executeCommand", { command: "ordain.chooseNode", arguments: args });
  const { node, nodes } = await choose();
  const title = "The node whose values are shown";
  const name = nodes.length
    ? await vscode.window.showQuickPick(nodes, { title, placeHolder: node })
    : await vscode.window.showInputBox({ title, value: node ?? "" });
  if (name !== undefined) {
    await choose(name);
  }
}

async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("ordain.restart", restart));
  context.subscriptions.push(vscode.commands.registerCommand("ordain.selectNode", selectNode));
  const changed = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("ordain")) {
      restart();
    }
  });
  context.subscriptions.push(changed);
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
