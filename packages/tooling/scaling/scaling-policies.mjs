/**
 * The number of pods up to which the policies of `scaleUp` allow to go. `changedSince(periodSeconds)` says by how much
 * the number of pods has grown in a period that ends now.
 */
export function limitUp(rules, current, changedSince) {
  return selected(rules, current, Math.max, Math.min, ({ type, value, periodSeconds }) => {
    const before = current - changedSince(periodSeconds)
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100))
  })
}

/** The number of pods down to which the policies of `scaleDown` allow to go. */
export function limitDown(rules, current, changedSince) {
  return selected(rules, current, Math.min, Math.max, ({ type, value, periodSeconds }) => {
    const before = current - changedSince(periodSeconds)
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100))
  })
}

function selected({ selectPolicy, policies }, current, most, least, proposed) {
  if (selectPolicy === 'Disabled') return current
  return (selectPolicy === 'Min' ? least : most)(...policies.map(proposed))
}
