const goodForMs = 30_000

/** How many bytes the server keeps. A sum over all files: an answer is half a minute old at most. */
export function rememberUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  let known: { at: number; bytes: Promise<number> } | undefined
  return async () => {
    if (known && now().getTime() - known.at < goodForMs) return known.bytes
    const asked = { at: now().getTime(), bytes: measure() }
    known = asked
    return asked.bytes.catch((error: unknown) => {
      if (known === asked) known = undefined
      throw error
    })
  }
}
