const { ChildProcess } = require('node:child_process')
const { basename } = require('node:path')
const Environment = require('./environment.cjs')

const servers = new Set(['postgres', 'nats-server', 'redis-server', 'livekit-server'])

/** Environment of unit tests: they get no server addresses, and starting a server throws an error. */
module.exports = class UnitEnvironment extends Environment {
  #spawn = ChildProcess.prototype.spawn

  async setup() {
    await super.setup()
    for (const name of Object.keys(process.env)) if (/^PARLEY_TEST_.*_URL$/.test(name)) delete process.env[name]
    const spawn = this.#spawn
    ChildProcess.prototype.spawn = function (options) {
      const server = [options.file, ...(options.args ?? [])]
        .map((arg) => basename(arg))
        .find((name) => servers.has(name))
      if (server === undefined) return spawn.call(this, options)
      throw new Error(`a test under src/ may not start ${server}: move the file to test/`)
    }
  }

  async teardown() {
    ChildProcess.prototype.spawn = this.#spawn
    await super.teardown()
  }
}
