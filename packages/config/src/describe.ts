import type { Fields, ReadConfig } from './define.ts'

/** One setting for the tables of the documentation. */
export type SettingRow = {
  /** Environment variables in order of precedence, separated by commas. */
  env: string
  /** Key in parley.toml, or empty. */
  toml: string
  /** The accepted values. */
  kind: string
  /** The default, `required`, or empty if the setting is optional. */
  default: string
  doc: string
}

/** Lists the settings of a declaration, in its order. */
export function describe(readConfig: ReadConfig<Fields>): SettingRow[] {
  return Object.values(readConfig.fields)
    .flatMap((field) => field.parts ?? [field])
    .map((field) => ({
      env: field.env.join(', '),
      toml: field.toml ?? '',
      kind: field.kind,
      default: field.default === undefined ? (field.optional ? '' : 'required') : textOf(field.default),
      doc: field.doc,
    }))
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
}
