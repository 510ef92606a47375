/**
 * The version after another. Versions rise with the clock, in microseconds since 1970, so that an owner whose database was put
 * back to an earlier moment goes on above what others hold of it: they would take a number once more for something they know.
 */
export function nextVersion(version: bigint, at: Date): bigint {
  const now = BigInt(at.getTime()) * 1000n
  return now > version ? now : version + 1n
}

/** The lowest version that `nextVersion` would give now, as SQL; the same wherever it stands in a statement. */
export const versionOfNow = '(extract(epoch from statement_timestamp()) * 1000000)::bigint'
