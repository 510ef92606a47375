import { register } from 'tsx/esm/api'

/** Global setup of Jest for test files that start their own servers: installs missing server programs. */
export default async function installServers() {
  register()
  const { installPrograms } = await import('../../testkit/src/install-programs.ts')
  await installPrograms()
}
