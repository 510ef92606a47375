type Held = { key: string; verifiedAt: Date }

const establishedMs = 7 * 24 * 3600_000

/**
 * Whether the owner of an account may remove an address: another one must remain that is older, or at least seven days
 * old. Otherwise an attacker with a stolen session could replace the owner's addresses or remove all of them.
 */
export function isRemovable(address: Held, all: readonly Held[], now: Date): boolean {
  const staysGood = ({ key, verifiedAt }: Held) =>
    key !== address.key && (verifiedAt <= address.verifiedAt || now.getTime() - verifiedAt.getTime() >= establishedMs)
  return all.some(staysGood)
}
