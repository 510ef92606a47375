/**
 * `pnpm deployables` lists the generated files that differ from the manifest, packages/contracts/src/deployables.ts.
 * `--write` writes them, `--check` fails if there are any.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { register } from 'tsx/esm/api'
import { formatText } from './format.mjs'
import { inWorkspace } from './steps.mjs'

register()
const { problemsOfFolders } = await import('./deploy/manifest.mjs')
const { busFiles } = await import('./deploy/bus-users.mjs')
const { composeFiles } = await import('./deploy/compose-services.mjs')
const { chartFiles } = await import('./deploy/chart-files.mjs')

const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } } })
/** Each function returns the new text of a file; only the generated parts are replaced. */
const files = { ...busFiles, ...composeFiles, ...chartFiles }

for (const problem of problemsOfFolders()) {
  console.log(problem)
  process.exitCode = 1
}
for (const [file, update] of Object.entries(files)) {
  const path = inWorkspace(file)
  const before = readFileSync(path, 'utf8')
  const after = /\.(yaml|json|md)$/.test(file) ? await formatText(path, update(before)) : update(before)
  if (after === before) continue
  if (values.write) writeFileSync(path, after)
  console.log(values.write ? `${file}: written` : `${file}: differs from the manifest; run: pnpm deployables --write`)
  if (values.check) process.exitCode = 1
}
