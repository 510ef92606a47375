type Held = { key: string; verifiedAt: Date }

const establishedMs = 7 * 24 * 3600_000

/**
 * Whether the owner of an account may remove an address: one must stay that is older, or has been there for seven days. So
 * whoever gets hold of a session can neither put an address of theirs in the place of the owner's nor leave none.
 */
export function isRemovable(address: Held, all: readonly Held[], now: Date): boolean {
  const staysGood = ({ key, verifiedAt }: Held) =>
    key !== address.key && (verifiedAt <= address.verifiedAt || now.getTime() - verifiedAt.getTime() >= establishedMs)
  return all.some(staysGood)
}
