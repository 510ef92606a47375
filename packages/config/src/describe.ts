import type { Fields, ReadConfig } from './define.ts'

export type SettingRow = {
  /** Variables in order of precedence, separated by commas. */
  env: string
  /** Key in parley.toml; empty if there is none. */
  toml: string
  kind: string
  /** The default value, or `required`; empty if the setting is optional or its default is empty. */
  default: string
  doc: string
}

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
