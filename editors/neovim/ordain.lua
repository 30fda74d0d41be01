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

local group = vim.api.nvim_create_augroup("ordain", {})

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
    }, event.buf)
  end,
})
