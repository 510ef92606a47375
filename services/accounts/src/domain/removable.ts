type Address = { key: string; verifiedAt: Date }

const establishedMs = 7 * 24 * 3600_000

/**
 * Another address must remain that was verified no later than this one, or at least seven days ago. Otherwise an
 * attacker with a stolen session could replace or remove all addresses.
 */
export function isRemovable(address: Address, all: readonly Address[], now: Date): boolean {
  const suffices = ({ key, verifiedAt }: Address) =>
    key !== address.key && (verifiedAt <= address.verifiedAt || now.getTime() - verifiedAt.getTime() >= establishedMs)
  return all.some(suffices)
}
