CREATE TABLE "reaction_tallies" (
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"emoji" text NOT NULL,
	"count" integer NOT NULL,
	"first_user_ids" text[] NOT NULL,
	"since" bigint NOT NULL,
	CONSTRAINT "reaction_tallies_room_id_seq_emoji_pk" PRIMARY KEY("room_id","seq","emoji")
);
--> statement-breakpoint
CREATE INDEX "room_events_thread_author" ON "room_events" USING btree ("room_id","thread_root_event_id","actor_id") WHERE "room_events"."thread_root_event_id" is not null and "room_events"."deleted_at" is null;