export function limitUp(rules, current, changedSince) {
  return selectLimit(rules, current, Math.max, Math.min, ({ type, value, periodSeconds }) => {
    const before = current - changedSince(periodSeconds)
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100))
  })
}

export function limitDown(rules, current, changedSince) {
  return selectLimit(rules, current, Math.min, Math.max, ({ type, value, periodSeconds }) => {
    const before = current - changedSince(periodSeconds)
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100))
  })
}

function selectLimit({ selectPolicy, policies }, current, most, least, proposed) {
  if (selectPolicy === 'Disabled') return current
  return (selectPolicy === 'Min' ? least : most)(...policies.map(proposed))
}
