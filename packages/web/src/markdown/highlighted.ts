import type { Stretch, stretchesIn } from './highlighter.ts'

let known: typeof stretchesIn | undefined

/** Code in stretches. What knows languages is loaded with the first code that somebody reads; from then on the answer is there at once. */
export function highlighted(code: string, language: string): Stretch[] | Promise<Stretch[]> {
  return known ? known(code, language) : load().then((stretches) => stretches(code, language))
}

async function load(): Promise<typeof stretchesIn> {
  const { stretchesIn } = await import('./highlighter.ts')
  return (known = stretchesIn)
}
