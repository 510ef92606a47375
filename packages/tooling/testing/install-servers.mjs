import { register } from 'tsx/esm/api'

/** Installs the programs that test files start by themselves. */
export default async function installServers() {
  register()
  const { installPrograms } = await import('../../testkit/src/install-programs.ts')
  await installPrograms()
}
