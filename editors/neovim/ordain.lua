-- Starts `ordain lsp` for the languages of Ordain, with Neovim 0.7 or later.
-- Copy this file to ~/.config/nvim/plugin/ordain.lua.
--
-- Variables, set before in init.lua:
--   vim.g.ordain_command  the program, by default "ordain"
--   vim.g.ordain_options  options such as { strict = "warning", ignore = { "unused-parameter" } }

local filetypes = { pp = "puppet", epp = "epuppet", mcl = "mcl", cf = "inmanta" }
-- Other tools have files of these types, too, so they are served in repositories only.
local in_repositories = { eruby = true, yaml = true }
local markers = { "environment.conf", "Puppetfile", "project.yml", "ordain.toml", "metadata.json", ".git" }
local clients = {}

-- The outermost kind of repository around a file wins: an environment before a module.
local function root_of(path)
  local directory = vim.fn.fnamemodify(path, ":h")
  for _, marker in ipairs(markers) do
    local found = vim.fn.findfile(marker, directory .. ";")
    if found == "" then
      found = vim.fn.finddir(marker, directory .. ";")
    end
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h" .. (marker == ".git" and ":h" or ""))
    end
  end
end

-- Neovim before 0.8 has no `vim.lsp.start`, which reuses clients.
local function start(config, buffer)
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local key = config.root_dir or ""
  if not clients[key] or not vim.lsp.get_client_by_id(clients[key]) then
    clients[key] = vim.lsp.start_client(config)
  end
  vim.lsp.buf_attach_client(buffer, clients[key])
end

-- Numbers of nodes come later than the other lenses, so the server has them asked for again.
local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.workspace.codeLens = { refreshSupport = true }

local function refresh_lenses()
  if #vim.lsp.buf_get_clients() > 0 then
    vim.lsp.codelens.refresh()
  end
end

-- Shows a plan or an explanation in a window of its own, which `q` closes.
local function show_plan(answer)
  local lines = vim.split(vim.trim(answer.text), "\n")
  vim.cmd("botright new")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable = "nofile", "wipe", false
  local title = answer.plan == nil and "explanation for " or "plan of "
  vim.api.nvim_buf_set_name(0, title .. answer.node)
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = true })
end

-- `vim.lsp.codelens.run()` on a line with "plan" runs this.
vim.lsp.commands["ordain.plan"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local params = { command = command.command, arguments = command.arguments }
  client.request("workspace/executeCommand", params, function(error, answer)
    if error then
      vim.notify(error.message, vim.log.levels.ERROR)
    else
      show_plan(answer)
    end
  end, context.bufnr)
end

-- `:OrdainExplain File[/etc/motd].mode` explains a resource of the chosen node, or says why its catalog does
-- not have it.
vim.api.nvim_create_user_command("OrdainExplain", function(command)
  local argument = { uri = vim.uri_from_bufnr(0), resource = command.args }
  local params = { command = "ordain.explain", arguments = { argument } }
  vim.lsp.buf_request(0, "workspace/executeCommand", params, function(error, answer)
    if error then
      vim.notify(error.message, vim.log.levels.ERROR)
    elseif answer then
      show_plan(answer)
    end
  end)
end, { nargs = 1 })

local group = vim.api.nvim_create_augroup("ordain", {})

vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
  group = group,
  pattern = { "*.pp", "*.yaml" },
  callback = refresh_lenses,
})

for extension, filetype in pairs(filetypes) do
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = "*." .. extension,
    callback = function(event)
      vim.bo[event.buf].filetype = filetype
    end,
  })
end

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = { "puppet", "epuppet", "eruby", "mcl", "inmanta", "yaml" },
  callback = function(event)
    local path = vim.api.nvim_buf_get_name(event.buf)
    local root = root_of(path)
    if path == "" or (not root and in_repositories[vim.bo[event.buf].filetype]) then
      return
    end
    start({
      name = "ordain",
      cmd = { vim.g.ordain_command or "ordain", "lsp" },
      root_dir = root,
      init_options = vim.g.ordain_options or vim.empty_dict(),
      capabilities = capabilities,
      handlers = {
        ["workspace/codeLens/refresh"] = function()
          refresh_lenses()
          return vim.NIL
        end,
      },
      on_attach = refresh_lenses,
    }, event.buf)
  end,
})
