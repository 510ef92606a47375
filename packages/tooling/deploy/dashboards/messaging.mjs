import { count, perSecond, quantiles, rate, seconds } from './queries.mjs'

export const messaging = {
  name: 'messaging',
  title: 'messaging',
  panels: [
    {
      title: 'Posts',
      meaning: 'Messages written, messages written in a batch, and repeated posts',
      unit: perSecond,
      queries: [
        [rate('parley_messaging_posted_total', ''), 'posted'],
        [rate('parley_messaging_combined_total', ''), 'combined'],
        [rate('parley_messaging_replayed_total', ''), 'repeated'],
      ],
    },
    {
      title: 'Time of a post',
      meaning: 'CreateMessage over the bus',
      unit: seconds,
      queries: quantiles('rpc_server_call_duration_seconds', 'rpc_method="svc.api.v1.MessageService/CreateMessage"'),
    },
    {
      title: 'Delivery of room facts',
      meaning: 'Time until messaging had applied changes of rooms',
      unit: seconds,
      queries: quantiles('parley_rooms_handover_duration_seconds'),
    },
    {
      title: 'Rooms left behind',
      meaning: 'Rooms with changes that messaging has not applied in time, counted up to 100',
      unit: count,
      queries: [['max(parley_rooms_left_behind)', 'rooms']],
    },
    {
      title: 'Facts and events of rooms',
      meaning: 'Changes of rooms, calls and files that messaging applied',
      unit: perSecond,
      queries: [
        [rate('parley_messaging_facts_applied_total', ''), 'facts'],
        [rate('parley_messaging_room_events_applied_total', ''), 'events'],
      ],
    },
    {
      title: 'Unresolved names',
      meaning: 'Profiles and handles that accounts did not return in time',
      unit: perSecond,
      queries: [
        [rate('parley_messaging_profiles_unresolved_total', ''), 'profiles'],
        [rate('parley_messaging_handles_unresolved_total', ''), 'handles'],
      ],
    },
  ],
}
