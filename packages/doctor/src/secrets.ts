import { defineConfig, type Field, type Fields, type ReadConfig, type Sources } from '@parley/config'

/** Shorter values would be found in ordinary words. */
const shortest = 4

/** The values of all secret settings, and the passwords in their URLs: none of them may stand in a text. */
export function secretsIn(readConfig: ReadConfig<Fields>, sources: Sources): string[] {
  const fields = Object.values(readConfig.fields).flatMap((field) => [field, ...(field.parts ?? [])])
  const values = fields.filter(({ secret }) => secret).flatMap((field) => valueOf(field, sources) ?? [])
  return values.flatMap((value) => [value, ...passwordIn(value)]).filter((value) => value.length >= shortest)
}

function valueOf(field: Field<unknown>, { env = process.env, file }: Sources): string | undefined {
  const given = field.env.map((name) => env[name]).find((value) => value)
  if (given !== undefined) return given
  try {
    const { value } = defineConfig({ value: field })({ env, ...(file === undefined ? {} : { file }) })
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function passwordIn(value: string): string[] {
  try {
    const { password } = new URL(value)
    return password === '' ? [] : [password, decodeURIComponent(password)]
  } catch {
    return []
  }
}
