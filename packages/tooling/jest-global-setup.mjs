import { existsSync } from 'node:fs'
import { register } from 'tsx/esm/api'

const hooks = new URL('../testkit/src/jest-setup.ts', import.meta.url)

/** The testkit's own hooks, or nothing in a tree without a testkit. */
export async function testkitHooks() {
  return existsSync(hooks) ? import(hooks.href) : undefined
}

/** Starts what the test files of this run share. Node cannot read TypeScript, so tsx does it for this process. */
export default async function globalSetup() {
  register()
  await (await testkitHooks())?.setup()
}
