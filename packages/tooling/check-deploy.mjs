/**
 * Checks the files for containers and Kubernetes. docker-compose, helm and kubeconform are used if they are
 * installed; otherwise the output says what was not checked. `--write` updates the generated files; commit them with
 * the change.
 */
import { parseArgs } from 'node:util'
import { checkChart } from './deploy/check-chart.mjs'
import { checkCompose } from './deploy/check-compose.mjs'
import { checkImage } from './deploy/check-image.mjs'

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const results = [await checkChart(values), await checkCompose(), await checkImage()]
for (const line of results.flatMap(({ skipped }) => skipped)) console.log(`not checked: ${line}`)
const problems = results.flatMap((result) => result.problems)
for (const problem of problems) console.log(problem)
process.exitCode = problems.length > 0 ? 1 : 0
