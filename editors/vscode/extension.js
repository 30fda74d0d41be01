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

/** The plans and explanations that are shown, by their titles. */
const plans = new Map();
const planChanged = new vscode.EventEmitter();
const planTexts = {
  onDidChange: planChanged.event,
  provideTextDocumentContent: (uri) => plans.get(uri.query) ?? "",
};

/** Shows the answer to `ordain.plan` or `ordain.explain` beside the editor. */
async function showPlan({ node, plan, text }) {
  const path = plan === undefined ? `explanation for ${node}` : `plan of ${node}`;
  const uri = vscode.Uri.from({ scheme: "ordain-plan", path, query: path });
  plans.set(path, text);
  planChanged.fire(uri);
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

/** Passes a command to the server, and shows plans and explanations. */
async function executeCommand(command, args, next) {
  const titles = { "ordain.plan": "Making a plan", "ordain.explain": "Explaining" };
  if (!(command in titles)) {
    return next(command, args);
  }
  const title = titles[command];
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

/** Explains a resource of the chosen node, or why its catalog does not have it. */
async function explainResource() {
  const editor = vscode.window.activeTextEditor;
  const uri = editor?.document.uri.toString();
  const value = editor?.document.getText(editor.selection) || undefined;
  const title = "A resource or one of its attributes";
  const prompt = "such as File[/etc/motd] or File[/etc/motd].mode";
  const resource = await vscode.window.showInputBox({ title, prompt, value });
  if (resource) {
    await vscode.commands.executeCommand("ordain.explain", { uri, resource });
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("ordain.restart", restart),
    vscode.commands.registerCommand("ordain.selectNode", selectNode),
    vscode.commands.registerCommand("ordain.planNode", planNode),
    vscode.commands.registerCommand("ordain.explainResource", explainResource),
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
