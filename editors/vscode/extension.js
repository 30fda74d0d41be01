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
    },
  });
  return client.start();
}

async function restart() {
  await client?.stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("ordain.restart", restart));
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
