// These modules keep the timers that they find when they are loaded, so no file with fake timers may be the first to
// load them.
require('node:http')
require('node:http2')
const { ModernFakeTimers } = require('@jest/fake-timers')
const { ModuleMocker } = require('jest-mock')

/** Tests run in the process's own context; the environment variables are restored after each file. */
module.exports = class Environment {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  fakeTimers = null
  fakeTimersModern
  #variables = { ...process.env }
  #exit = process.exit
  #console = globalThis.console

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
    // Tests provoke errors, which the code under test logs. Set the variable to see these logs.
    process.env.PARLEY_GENERAL_LOG_LEVEL ??= 'silent'
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose()
    process.exit = this.#exit
    globalThis.console = this.#console
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name]
    Object.assign(process.env, this.#variables)
  }

  getVmContext() {
    return null
  }

  exportConditions() {
    return ['node', 'node-addons']
  }
}
