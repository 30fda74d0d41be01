{
  description = "Ordain, an engine for desired state";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAll = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAll (pkgs: rec {
        default = ordain;
        ordain = pkgs.rustPlatform.buildRustPackage {
          pname = "ordain";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [
            "--package"
            "ordain-cli"
          ];
          # The tests compare with other programs and need a Debian.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          ORDAIN_COMMIT = self.shortRev or "";
          postInstall = ''
            $out/bin/ordain man man
            installManPage man/*
            for shell in bash zsh fish; do $out/bin/ordain completions $shell > ordain.$shell; done
            installShellCompletion --cmd ordain --bash ordain.bash --zsh ordain.zsh --fish ordain.fish
          '';
          meta.mainProgram = "ordain";
        };
      });
    };
}
