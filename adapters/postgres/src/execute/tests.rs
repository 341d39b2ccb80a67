mod answers;
mod arguments;
mod losses;
