import type { CodeRange, codeRangesIn } from './highlighter.ts'

let loaded: typeof codeRangesIn | undefined

/** Returns no promise once the highlighter is loaded. */
export function highlight(code: string, language: string): CodeRange[] | Promise<CodeRange[]> {
  return loaded ? loaded(code, language) : load().then((ranges) => ranges(code, language))
}

async function load(): Promise<typeof codeRangesIn> {
  const { codeRangesIn } = await import('./highlighter.ts')
  return (loaded = codeRangesIn)
}
