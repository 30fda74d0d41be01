;;; ordain.el --- Start `ordain lsp' with Eglot -*- lexical-binding: t; -*-

;;; Commentary:

;; Load this file in init.el:  (load "/path/to/ordain.el")
;; `puppet-mode' is a package of NonGNU ELPA.  The modes of mcl and Inmanta are made here.

;;; Code:

(require 'eglot)

(define-derived-mode ordain-mcl-mode prog-mode "mcl"
  "A mode for programs of mgmt."
  (setq-local comment-start "# "))

(define-derived-mode ordain-inmanta-mode prog-mode "Inmanta"
  "A mode for models of Inmanta."
  (setq-local comment-start "# "))

(add-to-list 'auto-mode-alist '("\\.mcl\\'" . ordain-mcl-mode))
(add-to-list 'auto-mode-alist '("\\.cf\\'" . ordain-inmanta-mode))

(add-to-list 'eglot-server-programs
             '((puppet-mode ordain-mcl-mode ordain-inmanta-mode) . ("ordain" "lsp")))

(dolist (hook '(puppet-mode-hook ordain-mcl-mode-hook ordain-inmanta-mode-hook))
  (add-hook hook #'eglot-ensure))

(provide 'ordain)
;;; ordain.el ends here
