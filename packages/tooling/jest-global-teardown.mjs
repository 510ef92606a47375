import { hooksOf } from './jest-global-setup.mjs'

/** Stops the servers that the global setup started. */
export default async function globalTeardown(globalConfig, projectConfig) {
  await (await hooksOf(globalConfig, projectConfig))?.teardown()
}
