import { register } from 'tsx/esm/api'

/** Installs missing server programs before the test files that start their own servers. */
export default async function installServers() {
  register()
  const { installPrograms } = await import('../../testkit/src/install-programs.ts')
  await installPrograms()
}
