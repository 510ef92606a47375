import { existsSync } from 'node:fs'
import { register } from 'tsx/esm/api'

/** `globals.hooks` names a module with `setup()` and `teardown()`. Undefined if the module does not exist. */
export async function hooksOf({ rootDir }, { globals }) {
  const hooks = new URL(globals.hooks, `file://${rootDir}/`)
  return existsSync(hooks) ? import(hooks.href) : undefined
}

/**
 * The servers are started by TypeScript with `using` declarations, which Node.js 22 cannot run, so this process uses
 * tsx.
 */
export default async function globalSetup(globalConfig, projectConfig) {
  register()
  await (await hooksOf(globalConfig, projectConfig))?.setup()
}
