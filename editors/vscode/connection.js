// Messages of JSON-RPC over two streams, each behind a header with its length.
"use strict";

class Connection {
  /**
   * @param {import("node:stream").Writable} output
   * @param {import("node:stream").Readable} input
   * @param {(method: string, params: any) => void} notified
   */
  constructor(output, input, notified) {
    this.output = output;
    this.notified = notified;
    this.last = 0;
    /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.buffer = Buffer.alloc(0);
    input.on("data", (/** @type {Buffer} */ part) => this.receive(part));
    input.on("close", () => this.waiting.forEach(({ reject }) => reject(new Error("highwater has ended"))));
  }

  /** @param {any} message */
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.output.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** @param {string} method @param {any} params */
  notify(method, params) {
    this.send({ method, params });
  }

  /** @param {string} method @param {any} params @returns {Promise<any>} */
  request(method, params) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  /** @param {Buffer} part */
  receive(part) {
    this.buffer = Buffer.concat([this.buffer, part]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.buffer.toString("latin1", 0, end))?.[1]);
      if (this.buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.buffer.toString("utf8", end + 4, end + 4 + length));
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.handle(message);
    }
  }

  /** @param {any} message */
  handle(message) {
    const waiting = this.waiting.get(message.id);
    if (message.method) {
      this.notified(message.method, message.params);
      // A request of the server waits for an answer.
      if (message.id !== undefined) this.send({ id: message.id, result: null });
    } else if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    }
  }
}

module.exports = { Connection };
