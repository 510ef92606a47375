CREATE TABLE "things" ("id" integer PRIMARY KEY);
