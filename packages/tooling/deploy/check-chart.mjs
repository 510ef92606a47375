import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { problemsOfAlerts } from './check-alerts.mjs'
import { examples, problemsOfExamples } from './check-examples.mjs'
import { problemsOfReach } from './check-network.mjs'
import { problemsOfNotes } from './check-notes.mjs'
import { problemsOfTemplates, problemsOfValues } from './check-values.mjs'
import { problemsOfConfigSchema } from './config-schema.mjs'
import { problemsOfSchemas, versionsFrom, whyNotValidated } from './kubeconform.mjs'
import { problemsOfRelease } from './release.mjs'
import { chart, digestOf, golden, hasHelm, read, render, sizes, valueFiles, writeGolden } from './renderings.mjs'
import { problemsOfScaling } from './scaling.mjs'

const howToRender = 'with helm on PATH, run: pnpm check-deploy --write'

/**
 * helm renders the objects if it is installed; otherwise the committed result is used, which must belong to the
 * current chart. kubeconform validates them if it is installed. `write` updates generated files.
 */
export async function checkChart({ write }) {
  const problems = [
    ...(await problemsOfConfigSchema({ write })),
    ...problemsOfValues(),
    ...problemsOfTemplates(),
    ...(await problemsOfAlerts(`${chart}/files`, { write })),
    ...(await problemsOfScaling({ write })),
    ...problemsOfReach(),
    ...(await problemsOfExamples()),
  ]
  const helm = hasHelm()
  const renderings = helm
    ? [...valueFiles(), ...sizes()].map((file) => ({ ...file, ...render(file) }))
    : valueFiles().map((file) => ({ ...file, ...golden(file.name) }))
  problems.push(...renderings.flatMap(({ problem }) => problem ?? []))
  const rendered = renderings.filter(({ objects }) => objects)
  const { invalid, validated, skipped } = validate(rendered)
  for (const each of rendered) {
    const found = await problemsOfRelease(each.objects, each.values)
    problems.push(...found.map((problem) => `${each.name}: ${problem}`))
    if (!helm || !valueFiles().some(({ name }) => name === each.name)) continue
    problems.push(...(await problemsOfNotes(each, each.objects)))
    if (write) await writeGolden(each, each.text, validated)
  }
  problems.push(...invalid, ...valueFiles().flatMap((file) => problemsOfGolden(file, rendered)))
  return { problems, skipped: [...(helm ? [] : [withoutHelm]), ...skipped] }
}

const withoutHelm =
  'rendering the chart again, its notes, and the values of sizes/: helm is not installed; the committed rendering was checked'

/**
 * Validates all renderings and examples against the versions of Kubernetes that the chart supports and whose schemas
 * are installed.
 */
function validate(renderings) {
  const why = whyNotValidated()
  if (why) {
    const last = golden('full').validated
    const before = last ? `last validated against ${last}` : 'this rendering has never been validated'
    return { invalid: [], skipped: [`the objects against the schemas of Kubernetes: ${why}; ${before}`] }
  }
  const versions = versionsFrom(Number(/1\.(\d+)/.exec(parse(read('Chart.yaml')).kubeVersion)[1]))
  const invalid = problemsOfSchemas([...renderings.flatMap(({ objects }) => objects), ...examples()], versions)
  const validated = `Kubernetes ${versions[0]} to ${versions.at(-1)}`
  return { invalid, skipped: [], ...(invalid.length === 0 && { validated }) }
}

/** Compares the committed rendering of a file of ci/ with the chart, and with what helm renders now. */
function problemsOfGolden({ name, values }, renderings) {
  const committed = golden(name)
  const now = renderings.find((each) => each.name === name)
  const same = committed.digest === digestOf(values) && (!now || isDeepStrictEqual(committed.objects, now.objects))
  return same ? [] : [`golden/${name}.yaml is out of date: ${howToRender}`]
}
