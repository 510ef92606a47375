/**
 * Versions follow the clock, in microseconds since 1970: after a restore of a service's database, its new versions are
 * above those that other services know.
 */
export function nextVersion(version: bigint, at: Date): bigint {
  const now = BigInt(at.getTime()) * 1000n
  return now > version ? now : version + 1n
}

/**
 * The present time as a version, in SQL; the same throughout a statement. Unlike `nextVersion`, it counts microseconds.
 */
export const versionOfNow = '(extract(epoch from statement_timestamp()) * 1000000)::bigint'
