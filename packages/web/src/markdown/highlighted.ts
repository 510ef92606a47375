import type { Stretch, stretchesIn } from './highlighter.ts'

let known: typeof stretchesIn | undefined

/** Code split into coloured ranges. The highlighter is loaded with the first code block; later calls return at once. */
export function highlighted(code: string, language: string): Stretch[] | Promise<Stretch[]> {
  return known ? known(code, language) : load().then((stretches) => stretches(code, language))
}

async function load(): Promise<typeof stretchesIn> {
  const { stretchesIn } = await import('./highlighter.ts')
  return (known = stretchesIn)
}
