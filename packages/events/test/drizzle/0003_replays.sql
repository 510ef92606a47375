ALTER TABLE "parked_events" ADD COLUMN "replay_requested_at" timestamp with time zone;
