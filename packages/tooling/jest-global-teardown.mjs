import { testkitHooks } from './jest-global-setup.mjs'

/** Stops what the global setup started. */
export default async function globalTeardown() {
  await (await testkitHooks())?.teardown()
}
