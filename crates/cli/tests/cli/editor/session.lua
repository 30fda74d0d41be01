-- A session with `ordain lsp` in Neovim. Each step adds a line to the file that the variable OUT names.

local out = {}

local function add(name, value)
  table.insert(out, name .. " " .. value)
end

local function wait(name, condition)
  if not vim.wait(60000, condition, 50) then
    error("nothing came within a minute: " .. name)
  end
end

local function ask(method, position, more)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  if position then
    params.position = { line = position[1], character = position[2] }
  end
  for key, value in pairs(more or {}) do
    params[key] = value
  end
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do
    if answer.error then
      error(method .. ": " .. answer.error.message)
    end
    return answer.result
  end
  error("no answer: " .. method)
end

local function messages()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, diagnostic.message:match("^[^\n]*"))
  end
  table.sort(found)
  return table.concat(found, "; ")
end

local function session()
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  wait("a client", function()
    return #clients() > 0
  end)
  add("client", clients()[1].name)
  wait("diagnostics", function()
    return messages():find("prot") ~= nil
  end)
  add("diagnostics", messages())
  add("hover", ask("textDocument/hover", { 0, 10 }).contents.value:gsub("\n", "|"))
  local definition = ask("textDocument/definition", { 0, 10 })[1]
  add("definition", vim.fn.fnamemodify(vim.uri_to_fname(definition.uri), ":t"))
  add("outline", ask("textDocument/documentSymbol")[1].name)

  local range = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } }
  for _, hint in ipairs(ask("textDocument/inlayHint", nil, {
    textDocument = { uri = definition.uri },
    range = range,
  })) do
    add("hint", hint.label)
  end
  local fix = ask("textDocument/codeAction", nil, { range = range, context = { diagnostics = {} } })[1]
  add("fix", fix.title)
  vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
  wait("no diagnostics", function()
    return messages() == ""
  end)
  add("corrected", vim.api.nvim_buf_get_lines(0, 0, 1, false)[1])
  for _, item in ipairs(ask("textDocument/completion", { 0, 18 }).items) do
    if item.label == "port" then
      add("completion", item.detail)
    end
  end
  local edit = ask("textDocument/rename", { 0, 17 }, { newName = "number" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  add("renamed", vim.api.nvim_buf_get_lines(0, 0, 1, false)[1])
  vim.lsp.util.apply_text_edits(ask("textDocument/formatting", nil, {
    options = { tabSize = 2, insertSpaces = true },
  }), 0, "utf-16")
  add("formatted", table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|"))

  -- A plan is made of the files on disk.
  vim.cmd("wall")
  vim.cmd("edit " .. vim.uri_to_fname(definition.uri))
  local titles
  wait("lenses with nodes", function()
    titles = {}
    for _, lens in ipairs(vim.lsp.codelens.get(0)) do
      table.insert(titles, lens.command.title)
    end
    return vim.tbl_contains(titles, "used by 1 of 1 node") and #titles == 3
  end)
  add("lenses", table.concat(titles, "; "))
  local plan = vim.lsp.codelens.get(0)[3].command
  plan.arguments[1].root = "machine"
  vim.lsp.commands[plan.command](plan, { client_id = clients()[1].id, bufnr = 0 })
  wait("a plan", function()
    return vim.api.nvim_buf_get_name(0):find("plan of") ~= nil
  end)
  add("plan", vim.api.nvim_buf_get_lines(0, -2, -1, false)[1])
  vim.cmd("close")
  vim.cmd("OrdainExplain Class[web].number")
  wait("an explanation", function()
    return vim.api.nvim_buf_get_name(0):find("explanation for") ~= nil
  end)
  add("explained", vim.api.nvim_buf_get_lines(0, 0, 1, false)[1])
end

local ok, message = pcall(session)
if not ok then
  add("error", tostring(message))
end
vim.fn.writefile(out, os.getenv("OUT"))
vim.cmd("qall!")
