class m {}
