import { hooksOf } from './jest-global-setup.mjs'

/** Stops the servers of the global setup. */
export default async function globalTeardown(globalConfig, projectConfig) {
  await (await hooksOf(globalConfig, projectConfig))?.teardown()
}
