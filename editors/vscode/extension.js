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

/** The plans that are shown, by node. */
const plans = new Map();
const planChanged = new vscode.EventEmitter();
const planTexts = {
  onDidChange: planChanged.event,
  provideTextDocumentContent: (uri) => plans.get(uri.query) ?? "",
};

/** Shows the answer to `ordain.plan` beside the editor. */
async function showPlan({ node, text }) {
  plans.set(node, text);
  const uri = vscode.Uri.from({ scheme: "ordain-plan", path: `plan of ${node}`, query: node });
  planChanged.fire(uri);
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

/** Passes a command to the server, and shows plans. */
async function executeCommand(command, args, next) {
  if (command !== "ordain.plan") {
    return next(command, args);
  }
  const title = "Making a plan";
  const location = vscode.ProgressLocation.Notification;
  const answer = await vscode.window.withProgress({ location, title }, () => next(command, args));
  if (answer) {
    await showPlan(answer);
  }
  return answer;
}

function start() {
  const settings = vscode.workspace.getConfiguration("ordain");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("ordain", "Ordain", server, {
    documentSelector: documents,
    middleware: { executeCommand },
    initializationOptions: {
      strict: settings.get("strict"),
      ignore: settings.get("ignore"),
      modulepath: settings.get("modulepath"),
      allModules: settings.get("allModules"),
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

/** Shows the plan of the chosen node for the repository of the open file. */
async function planNode() {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  await vscode.commands.executeCommand("ordain.plan", { uri });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("ordain.restart", restart),
    vscode.commands.registerCommand("ordain.selectNode", selectNode),
    vscode.commands.registerCommand("ordain.planNode", planNode),
    vscode.workspace.registerTextDocumentContentProvider("ordain-plan", planTexts),
    planChanged,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("ordain")) {
        restart();
      }
    }),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
