import { existsSync } from 'node:fs'
import { register } from 'tsx/esm/api'

/**
 * The `setup()` and `teardown()` of a run, from the module that the configuration names in `globals.hooks` (a path from
 * the root of the repository); an empty object if it does not exist.
 */
export async function hooksOf({ rootDir }, { globals }) {
  const hooks = new URL(globals.hooks, `file://${rootDir}/`)
  return existsSync(hooks) ? import(hooks.href) : undefined
}

/** Starts the servers that the test files of this run share. Node cannot load TypeScript, so this process uses tsx. */
export default async function globalSetup(globalConfig, projectConfig) {
  register()
  await (await hooksOf(globalConfig, projectConfig))?.setup()
}
