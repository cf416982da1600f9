// A client of `highwater lsp` for Visual Studio Code, without dependencies: a process, and messages with their lengths.
"use strict";

const vscode = require("vscode");
const { spawn } = require("node:child_process");
const { Connection } = require("./connection");

const SELECTOR = { language: "promela" };
const LANGUAGES = ["promela", "scm", "fsp", "art", "highwater-spec", "c"];
/** Whether the server is asked about a document. @param {vscode.TextDocument} document */
const ours = ({ languageId }) =>
  languageId === "c" ? vscode.workspace.getConfiguration("highwater").get("c", false) : LANGUAGES.includes(languageId);
/** Lenses are asked for again. @type {vscode.EventEmitter<void>} */
const stale = new vscode.EventEmitter();
const SEVERITIES = [vscode.DiagnosticSeverity.Error, vscode.DiagnosticSeverity.Error, vscode.DiagnosticSeverity.Warning];

/** @type {Connection | undefined} */
let connection;

const place = (document, position) => ({
  textDocument: { uri: document.uri.toString() },
  position: { line: position.line, character: position.character },
});
const range = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);
const location = (found) => new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));

/** @param {any} symbol */
function outline(symbol) {
  // The protocol counts kinds from 1.
  const { name, detail, kind, children } = symbol;
  const shown = new vscode.DocumentSymbol(name, detail, kind - 1, range(symbol.range), range(symbol.selectionRange));
  shown.children = children.map(outline);
  return shown;
}

function providers() {
  return [
    vscode.languages.registerHoverProvider(SELECTOR, {
      async provideHover(document, position) {
        const found = await connection?.request("textDocument/hover", place(document, position));
        return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), range(found.range));
      },
    }),
    vscode.languages.registerDefinitionProvider(SELECTOR, {
      async provideDefinition(document, position) {
        const found = await connection?.request("textDocument/definition", place(document, position));
        return found && location(found);
      },
    }),
    vscode.languages.registerReferenceProvider(SELECTOR, {
      async provideReferences(document, position) {
        const found = await connection?.request("textDocument/references", place(document, position));
        return (found ?? []).map(location);
      },
    }),
    vscode.languages.registerRenameProvider(SELECTOR, {
      async provideRenameEdits(document, position, newName) {
        const found = await connection?.request("textDocument/rename", { ...place(document, position), newName });
        const edit = new vscode.WorkspaceEdit();
        for (const [uri, changes] of Object.entries(found?.changes ?? {})) {
          changes.forEach((change) => edit.replace(vscode.Uri.parse(uri), range(change.range), change.newText));
        }
        return edit;
      },
    }),
    vscode.languages.registerDocumentSymbolProvider(SELECTOR, {
      async provideDocumentSymbols(document) {
        const textDocument = { uri: document.uri.toString() };
        const found = await connection?.request("textDocument/documentSymbol", { textDocument });
        return (found ?? []).map(outline);
      },
    }),
    vscode.languages.registerCodeLensProvider(LANGUAGES, {
      onDidChangeCodeLenses: stale.event,
      async provideCodeLenses(document) {
        if (!ours(document)) return [];
        const textDocument = { uri: document.uri.toString() };
        const found = await connection?.request("textDocument/codeLens", { textDocument });
        return (found ?? []).map((lens) => new vscode.CodeLens(range(lens.range), lens.command));
      },
    }),
    vscode.commands.registerCommand("highwater.check", (uri) => {
      const checked = uri ?? vscode.window.activeTextEditor?.document.uri.toString();
      return connection?.request("workspace/executeCommand", { command: "highwater.check", arguments: [checked] });
    }),
    vscode.languages.registerInlayHintsProvider(SELECTOR, {
      async provideInlayHints(document) {
        const textDocument = { uri: document.uri.toString() };
        const found = await connection?.request("textDocument/inlayHint", { textDocument });
        const at = ({ line, character }) => new vscode.Position(line, character);
        return (found ?? []).map((hint) => new vscode.InlayHint(at(hint.position), hint.label));
      },
    }),
  ];
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const command = vscode.workspace.getConfiguration("highwater").get("path", "highwater");
  const server = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  server.on("error", (error) => vscode.window.showErrorMessage(`${command} cannot be started: ${error.message}`));
  const diagnostics = vscode.languages.createDiagnosticCollection("highwater");
  connection = new Connection(server.stdin, server.stdout, (method, params) => {
    if (method === "workspace/codeLens/refresh") stale.fire();
    if (method !== "textDocument/publishDiagnostics") return;
    const shown = params.diagnostics.map((one) => {
      const diagnostic = new vscode.Diagnostic(range(one.range), one.message, SEVERITIES[one.severity]);
      diagnostic.code = one.code;
      diagnostic.source = one.source;
      return diagnostic;
    });
    diagnostics.set(vscode.Uri.parse(params.uri), shown);
  });
  await connection.request("initialize", { processId: process.pid, rootUri: null, capabilities: { workspace: { codeLens: { refreshSupport: true } } } });
  connection.notify("initialized", {});

  const opened = (document) => {
    if (!ours(document)) return;
    const { languageId, version } = document;
    const textDocument = { uri: document.uri.toString(), languageId, version, text: document.getText() };
    connection?.notify("textDocument/didOpen", { textDocument });
  };
  vscode.workspace.textDocuments.forEach(opened);
  context.subscriptions.push(
    diagnostics,
    ...providers(),
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (!ours(document) || contentChanges.length === 0) return;
      const textDocument = { uri: document.uri.toString(), version: document.version };
      connection?.notify("textDocument/didChange", {
        textDocument,
        contentChanges: contentChanges.map((change) => ({ range: change.range, text: change.text })),
      });
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      const textDocument = { uri: document.uri.toString() };
      if (ours(document)) connection?.notify("textDocument/didSave", { textDocument });
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      const textDocument = { uri: document.uri.toString() };
      if (ours(document)) connection?.notify("textDocument/didClose", { textDocument });
      diagnostics.delete(document.uri);
    }),
  );
}

async function deactivate() {
  await connection?.request("shutdown", null);
  connection?.notify("exit", null);
}

module.exports = { activate, deactivate };
