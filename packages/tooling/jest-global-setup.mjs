import { existsSync } from 'node:fs'
import { register } from 'tsx/esm/api'

/**
 * The module with the `setup()` and `teardown()` of a run, which the configuration names in `globals.hooks` (a path
 * from the root of the repository); undefined if it does not exist.
 */
export async function hooksOf({ rootDir }, { globals }) {
  const hooks = new URL(globals.hooks, `file://${rootDir}/`)
  return existsSync(hooks) ? import(hooks.href) : undefined
}

/**
 * Starts the servers that the test files of this run share. They are started by TypeScript with `using` declarations,
 * which Node.js 22 cannot run, so this process uses tsx.
 */
export default async function globalSetup(globalConfig, projectConfig) {
  register()
  await (await hooksOf(globalConfig, projectConfig))?.setup()
}
