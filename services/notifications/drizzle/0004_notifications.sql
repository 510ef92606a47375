CREATE TABLE "departures" (
	"user_id" text NOT NULL,
	"room_id" text NOT NULL,
	"room_seq" bigint NOT NULL,
	"left_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "departures_user_id_room_id_pk" PRIMARY KEY("user_id","room_id")
);
--> statement-breakpoint
CREATE TABLE "notification_jobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_jobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"work" jsonb NOT NULL,
	"after" text DEFAULT '' NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"fence" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_shards" (
	"shard" integer PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"room_id" text NOT NULL,
	"message_id" text NOT NULL,
	"event_id" text NOT NULL,
	"kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"thread_root_event_id" text NOT NULL,
	"in_reply_to" text NOT NULL,
	"room_seq" bigint NOT NULL,
	"silent" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"dismissed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "read_markers" (
	"user_id" text NOT NULL,
	"room_id" text NOT NULL,
	"thread_root_event_id" text NOT NULL,
	"room_seq" bigint NOT NULL,
	"moved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "read_markers_user_id_room_id_thread_root_event_id_pk" PRIMARY KEY("user_id","room_id","thread_root_event_id")
);
--> statement-breakpoint
CREATE TABLE "retractions" (
	"event_id" text PRIMARY KEY NOT NULL,
	"retracted_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "departures_by_age" ON "departures" USING btree ("left_at");--> statement-breakpoint
CREATE INDEX "notification_jobs_due" ON "notification_jobs" USING btree ("due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_by_message" ON "notifications" USING btree ("message_id","user_id");--> statement-breakpoint
CREATE INDEX "notifications_of_echoes" ON "notifications" USING btree ("event_id") WHERE event_id <> message_id;--> statement-breakpoint
CREATE INDEX "notifications_of_user" ON "notifications" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notifications_pending_in_room" ON "notifications" USING btree ("user_id","room_id","created_at","id") WHERE dismissed_at is null;--> statement-breakpoint
CREATE INDEX "notifications_by_age" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_dismissed" ON "notifications" USING btree ("dismissed_at") WHERE dismissed_at is not null;--> statement-breakpoint
CREATE INDEX "read_markers_by_age" ON "read_markers" USING btree ("moved_at");--> statement-breakpoint
CREATE INDEX "retractions_by_age" ON "retractions" USING btree ("retracted_at");--> statement-breakpoint
CREATE INDEX "notification_levels_all_messages" ON "notification_levels" USING btree ("room_id","user_id") WHERE level = 'all_messages';