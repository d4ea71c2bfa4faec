// Preloaded into servers that would listen on every interface: they listen on 127.0.0.1 alone, where INTEROP_PRINT_PORT is set the
// port is a line on stdout. `_listen2` is where all of Node's ways to listen meet; Node's version is pinned.
const { Server } = require("node:net");
const listen = Server.prototype._listen2;

Server.prototype._listen2 = function (address, port, type, ...rest) {
  if (process.env.INTEROP_PRINT_PORT) {
    this.once("listening", () => console.log(`port ${this.address().port}`));
  }
  return listen.call(this, "127.0.0.1", port, 4, ...rest);
};
