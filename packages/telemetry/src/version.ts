import { readFileSync } from 'node:fs'

/** Defined in bundles by the build (`bundle-options.mjs`), because they have no package.json. */
declare const PARLEY_RELEASE: string | undefined

/** The version of the release, which clients and collectors see, the same in every deployable. */
export const serverVersion = typeof PARLEY_RELEASE === 'string' ? PARLEY_RELEASE : versionOfSources()

function versionOfSources(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
