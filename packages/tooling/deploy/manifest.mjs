import { existsSync, readdirSync } from 'node:fs'
import { inWorkspace } from '../steps.mjs'

/** The manifest. Node.js can import it, because its TypeScript has only types, which Node.js removes. */
export const { busUsers, compactDeployables, databaseOwners, deployableNames, propertiesOf, sharedSecrets } =
  await import(inWorkspace('packages/contracts/src/deployables.ts'))

export function problemsOfFolders() {
  const has = (name, file) => existsSync(inWorkspace(`services/${name}/src/${file}.ts`))
  const unknown = readdirSync(inWorkspace('services')).filter(
    (name) => has(name, 'main') && !deployableNames.includes(name),
  )
  const missing = deployableNames.filter((name) => !has(name, 'main'))
  const wrong = deployableNames.filter((name) => has(name, 'migrate') !== (propertiesOf(name).database === true))
  return [
    ...unknown.map((name) => `services/${name}: is not in packages/contracts/src/deployables.ts`),
    ...missing.map((name) => `services/${name}: is in the manifest, but has no src/main.ts`),
    ...wrong.map((name) =>
      propertiesOf(name).database
        ? `services/${name}: has a database in the manifest, but no src/migrate.ts`
        : `services/${name}: has src/migrate.ts, but no database in the manifest`,
    ),
  ]
}

/** Throws when one of the lines is missing. */
export function replaceBetween(text, first, last, lines) {
  const begin = text.indexOf(`${first}\n`)
  const end = text.indexOf(last, begin)
  if (begin < 0 || end < 0) throw new Error(`there is no "${first}" followed by "${last}"`)
  return `${text.slice(0, begin)}${first}\n${lines.join('\n')}\n${text.slice(end)}`
}
