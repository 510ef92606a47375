import { hooksOf } from './jest-global-setup.mjs'

export default async function globalTeardown(globalConfig, projectConfig) {
  await (await hooksOf(globalConfig, projectConfig))?.teardown()
}
