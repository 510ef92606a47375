import { readFileSync } from 'node:fs'
import { format } from 'oxfmt'
import { inWorkspace } from './steps.mjs'

export async function formatText(file, text) {
  const { code, errors } = await format(file, text, JSON.parse(readFileSync(inWorkspace('.oxfmtrc.json'), 'utf8')))
  if (errors.length > 0) throw new Error(`${file} cannot be formatted: ${errors[0].message}`)
  return code
}
